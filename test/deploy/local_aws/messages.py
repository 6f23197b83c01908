"""End User Messaging, of which it knows nothing: a configuration set and a protect configuration are there by name."""

from ministack.services.cloudformation import provisioners


def create_configuration_set(logical_id, props, stack_name):
    name = props.get("ConfigurationSetName") or provisioners._physical_name(stack_name, logical_id, max_len=64)
    return name, {}


def create_protect_configuration(logical_id, props, stack_name):
    name = provisioners._physical_name(stack_name, logical_id, max_len=64)
    return name, {"ProtectConfigurationId": name}


def delete(physical_id, props):
    pass


def fix():
    handlers = provisioners._RESOURCE_HANDLERS
    handlers["AWS::SMSVOICE::ConfigurationSet"] = {"create": create_configuration_set, "delete": delete}
    handlers["AWS::SMSVOICE::ProtectConfiguration"] = {"create": create_protect_configuration, "delete": delete}
