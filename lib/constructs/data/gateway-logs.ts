import { RemovalPolicy } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/**
 * The role for API Gateway's access logs, one per account and region (AWS "Set up CloudWatch logging for REST APIs in
 * API Gateway"). Role and setting are always retained together, even after a failed creation: other APIs use them, and
 * an account with a deleted role cannot log.
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
