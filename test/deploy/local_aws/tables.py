"""DynamoDB.

A restore to a point in time gives the table as it is now, whatever time is named, and refuses one that has indexes, which it
would leave out.
"""

import copy
import time
from collections import defaultdict

from ministack.services import dynamodb

# How often a table that is written to is remembered, and for how long; in AWS every second, for 35 days.
EVERY_SECONDS = 0.5
FOR_SECONDS = 600

handle = dynamodb.handle_request
create = dynamodb._create_table
restore = dynamodb._restore_table_to_point_in_time
past = []


async def handle_request(method, path, headers, body, query_params):
    remember()
    return await handle(method, path, headers, body, query_params)


def remember():
    now = time.time()
    if past and now - past[-1][0] < EVERY_SECONDS:
        return
    past.append((now, {name: copy.deepcopy(dict(table["items"])) for name, table in dynamodb._tables.items()}))
    while past[0][0] < now - FOR_SECONDS:
        past.pop(0)


def restore_table(data):
    source = dynamodb._tables.get(data["SourceTableName"], {})
    dynamodb._create_table = lambda request: create({**request, **indexes_of(source)})
    try:
        status, headers, body = restore(data)
    finally:
        dynamodb._create_table = create
    at = data.get("RestoreDateTime")
    if status == 200 and at is not None:
        # Remembered before a request is handled, so the first from then on is as the table was at that time.
        known = [items for moment, items in past if moment >= at and data["SourceTableName"] in items]
        target = dynamodb._tables[data["TargetTableName"]]
        if known:
            target["items"] = defaultdict(dict, copy.deepcopy(known[0][data["SourceTableName"]]))
        dynamodb._update_counts(target)
    return status, headers, body


def indexes_of(table):
    return {
        kind: [{key: index[key] for key in ("IndexName", "KeySchema", "Projection")} for index in table[kind]]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        if table.get(kind)
    }


def fix():
    dynamodb.handle_request = handle_request
    dynamodb._restore_table_to_point_in_time = restore_table
