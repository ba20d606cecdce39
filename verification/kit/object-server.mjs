/**
 * A real server of the S3 API that checks signatures. Runs in a separate process, so that a test can stop it. Arguments: folder
 * of the objects, bucket, port (0: any). Prints its port. The access key and its secret are both `S3RVER`.
 */
import S3rver from '@20minutes/s3rver';

const [, , directory, bucket, port] = process.argv;
const server = new S3rver({
  ...{ directory, port: Number(port), address: '127.0.0.1', silent: true },
  configureBuckets: [{ name: bucket }],
});
const { port: taken } = await server.run();
process.stdout.write(`${taken}\n`);
