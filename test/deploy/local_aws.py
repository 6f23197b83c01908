"""Starts ministack 1.4.21 with three defects fixed.

When it updates a nested stack it loses the attributes (Fn::GetAtt) of resources that the update does not change.
It deletes a stack by its name only, where the CDK sends its ARN.
It deletes resources of a stack whose deletion policy retains them.
"""

import sys

from ministack.app import main
from ministack.services.cloudformation import _stacks, handlers, provisioners

update = provisioners._update_resource
delete = handlers._delete_stack


def update_resource(resource_type, physical_id, old_props, new_props, stack_name, logical_id=None, old_attrs=None):
    if old_attrs is None:
        known = _stacks.get(stack_name, {}).get("_resources", {}).get(logical_id, {})
        old_attrs = known.get("Attributes")
    return update(resource_type, physical_id, old_props, new_props, stack_name, logical_id, old_attrs)


def delete_stack(params):
    name = provisioners._nested_stack_lookup_name(handlers._p(params, "StackName"))
    forget_retained(_stacks.get(name, {}))
    return delete({**params, "StackName": [name]})


def forget_retained(stack):
    for logical_id, definition in stack.get("_template", {}).get("Resources", {}).items():
        if definition.get("DeletionPolicy") in ("Retain", "RetainExceptOnCreate"):
            stack.get("_resources", {}).pop(logical_id, None)


provisioners._update_resource = update_resource
handlers._ACTION_HANDLERS["DeleteStack"] = delete_stack
sys.exit(main())
