import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { type HostedModel, s3Location } from '#lib/hosted-model.ts';

/**
 * What SageMaker needs to run a model's container: its image, its weights where they are in S3, and its logs (AWS "How to use
 * SageMaker AI execution roles", "CreateModel API: Execution Role Permissions"), each for these alone.
 */
export function grantContainer(role: Role, { image, weights }: HostedModel): void {
  const stack = Stack.of(role);
  const [registry = '', ...path] = image.split('/');
  const [account = '', , , region = ''] = registry.split('.');
  const repository = path.join('/').replace(/[:@].*$/, '');
  const allow = (actions: string[], resources: string[], conditions = {}) =>
    role.addToPolicy(new PolicyStatement({ actions, resources, conditions }));
  allow(['ecr:GetAuthorizationToken'], ['*']);
  allow(
    ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
    [`arn:${stack.partition}:ecr:${region}:${account}:repository/${repository}`],
  );
  const logs = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: '/aws/sagemaker/*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  allow(['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents', 'logs:DescribeLogStreams'], [logs]);
  const location = s3Location(weights);
  if (!location) return;
  const { bucket, prefix } = location;
  allow(['s3:ListBucket'], [`arn:${stack.partition}:s3:::${bucket}`], { StringLike: { 's3:prefix': `${prefix}*` } });
  allow(['s3:GetObject'], [`arn:${stack.partition}:s3:::${bucket}/${prefix}*`]);
}
