"""Lambda.

When it updates a function it loses its versions, aliases and permissions.
An alias sends every call to one version, whatever weights it has: here every tenth call of an alias with a weight of 0.1 goes
to the version that has it, and so on.
"""

from ministack.services import lambda_svc
from ministack.services.cloudformation import provisioners

KEPT = ("versions", "next_version", "aliases", "policy", "event_invoke_configs", "concurrency")

create = provisioners._lambda_create
effective = lambda_svc._effective_func_record_for_qualifier
calls = {}


def create_function(logical_id, props, stack_name):
    name = props.get("FunctionName") or provisioners._physical_name(stack_name, logical_id, max_len=64)
    before = lambda_svc._functions.get(name, {})
    created = create(logical_id, props, stack_name)
    lambda_svc._functions[name].update({key: before[key] for key in KEPT if key in before})
    return created


def function_for(func, qualifier):
    alias = (func or {}).get("aliases", {}).get(qualifier, {})
    weights = alias.get("RoutingConfig", {}).get("AdditionalVersionWeights", {})
    for version, weight in weights.items():
        count = calls[alias["AliasArn"]] = calls.get(alias["AliasArn"], 0) + 1
        if count % round(1 / weight) == 0:
            return effective(func, version)
    return effective(func, qualifier)


def fix():
    provisioners._RESOURCE_HANDLERS["AWS::Lambda::Function"]["create"] = create_function
    lambda_svc._effective_func_record_for_qualifier = function_for
