"""Starts ministack 1.4.21 with one mistake of it put right.

When it updates a nested stack it forgets what Fn::GetAtt says of the resources that the update leaves alone.
"""

import sys

from ministack.app import main
from ministack.services.cloudformation import _stacks, provisioners

update = provisioners._update_resource


def update_resource(resource_type, physical_id, old_props, new_props, stack_name, logical_id=None, old_attrs=None):
    if old_attrs is None:
        known = _stacks.get(stack_name, {}).get("_resources", {}).get(logical_id, {})
        old_attrs = known.get("Attributes")
    return update(resource_type, physical_id, old_props, new_props, stack_name, logical_id, old_attrs)


provisioners._update_resource = update_resource
sys.exit(main())
