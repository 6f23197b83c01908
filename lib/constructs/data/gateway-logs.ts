import { RemovalPolicy } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/**
 * The role with which API Gateway writes access logs: one for all APIs of the account in a region (AWS "Set up CloudWatch
 * logging for REST APIs in API Gateway"). Role and setting are retained together, also when a first creation fails: other
 * APIs log with them, and an account that names a role that is gone can log nothing.
 */
export class GatewayLogs extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const policy = ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [policy],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    account.node.addDependency(role);
    for (const part of [role, account]) part.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
