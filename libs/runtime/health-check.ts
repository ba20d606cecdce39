import { get } from 'node:http';

/**
 * Health check of a container: `node dist/libs/runtime/health-check.js <url>` ends with exit code 0 when the address
 * answers 200. In the image, because an inline script is quoted differently by each container engine.
 */
const LIMIT_MS = 4_000;

const [, , url = ''] = process.argv;
const request = get(url, { timeout: LIMIT_MS }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('timeout', () => process.exit(1));
request.on('error', () => process.exit(1));
