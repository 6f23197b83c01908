"""CloudFormation.

When it updates a nested stack it loses the attributes (Fn::GetAtt) of resources that the update does not change.
It deletes a stack by its name only, where the CDK sends its ARN, and leaves its change sets to the next one of that name.
It refuses to delete a change set that is not there.
It deletes resources whose deletion policy retains them, and tables that are protected from deletion.
A nested stack whose creation fails leaves behind what it created.
Where a rollback cannot delete a resource, it reports success.

Besides, it fails on request, as AWS does for many reasons: the next resource whose logical id begins with what the file
FAIL_NEXT has is not created, and the file is deleted.
"""

import os
from pathlib import Path

from ministack.services.cloudformation import _change_sets, _stacks, changesets, engine, handlers, provisioners, stacks

RETAINED = ("Retain", "RetainExceptOnCreate")
TABLE_TYPES = ("AWS::DynamoDB::GlobalTable", "AWS::DynamoDB::Table")

# By logical id: one means the same resource in every stack of ours that has it.
policies = {}

sort = engine._topological_sort
create = provisioners._provision_resource
update = provisioners._update_resource
delete = provisioners._delete_resource
deploy = stacks._deploy_stack_async
delete_by_name = handlers._delete_stack
delete_known_change_set = changesets._delete_change_set
deploy_nested = provisioners._cfn_nested_stack_deploy


def sort_resources(definitions, conditions):
    for logical_id, definition in definitions.items():
        policies[logical_id] = definition.get("DeletionPolicy")
    return sort(definitions, conditions)


def root_of(stack_name):
    stack = _stacks.get(stack_name or "", {})
    parent = stack.get("_parent_stack_name")
    return root_of(parent) if parent else stack


def create_resource(resource_type, logical_id, props, stack_name):
    order = Path(os.environ.get("FAIL_NEXT", "none"))
    if order.exists() and logical_id.startswith(order.read_text()):
        order.unlink()
        raise ValueError(f"{logical_id} was made to fail on purpose")
    return create(resource_type, logical_id, props, stack_name)


def update_resource(resource_type, physical_id, old_props, new_props, stack_name, logical_id=None, old_attrs=None):
    if old_attrs is None:
        known = _stacks.get(stack_name, {}).get("_resources", {}).get(logical_id, {})
        old_attrs = known.get("Attributes")
    return update(resource_type, physical_id, old_props, new_props, stack_name, logical_id, old_attrs)


def delete_resource(resource_type, physical_id, props, stack_name=None, logical_id=None):
    root = root_of(stack_name)
    is_failed_creation = root.get("StackStatus") in ("CREATE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS")
    policy = policies.get(logical_id)
    if policy in RETAINED and not (is_failed_creation and policy == "RetainExceptOnCreate"):
        return
    if resource_type in TABLE_TYPES and is_protected(props):
        root["_undeletable"] = True
        raise ValueError(f"{physical_id} is protected from deletion")
    delete(resource_type, physical_id, props, stack_name, logical_id)


def is_protected(props):
    return any(part.get("DeletionProtectionEnabled") for part in [props, *props.get("Replicas", [])])


def deploy_nested_stack(logical_id, props, parent_stack_name, **previous):
    known = set(_stacks)
    try:
        return deploy_nested(logical_id, props, parent_stack_name, **previous)
    except Exception:
        for name in set(_stacks) - known:
            provisioners._cfn_nested_stack_delete(name, props)
        raise


async def deploy_stack(stack_name, *args, **kwargs):
    await deploy(stack_name, *args, **kwargs)
    stack = _stacks[stack_name]
    if stack.pop("_undeletable", False) and stack["StackStatus"] == "ROLLBACK_COMPLETE":
        stack["StackStatus"] = "ROLLBACK_FAILED"


def delete_stack(params):
    name = provisioners._nested_stack_lookup_name(handlers._p(params, "StackName"))
    for change_set in [key for key, value in _change_sets.items() if value["StackName"] == name]:
        _change_sets.pop(change_set)
    return delete_by_name({**params, "StackName": [name]})


def delete_change_set(params):
    known, _ = changesets._find_change_set(handlers._p(params, "ChangeSetName"), handlers._p(params, "StackName"))
    return delete_known_change_set(params) if known else handlers._xml(200, "DeleteChangeSetResponse", "")


def fix():
    for module in (engine, stacks):
        module._topological_sort = sort_resources
    for module in (provisioners, stacks):
        module._provision_resource = create_resource
        module._delete_resource = delete_resource
    provisioners._update_resource = update_resource
    provisioners._cfn_nested_stack_deploy = deploy_nested_stack
    for module in (changesets, handlers, stacks):
        module._deploy_stack_async = deploy_stack
    handlers._ACTION_HANDLERS["DeleteStack"] = delete_stack
    handlers._ACTION_HANDLERS["DeleteChangeSet"] = delete_change_set
