import { execFileSync } from 'node:child_process';
import { curlOf } from './curl';

it('gives a shell exactly what was sent, quotes and dollars included', () => {
  const body = `{"title":"Anna's $HOME","text":"a\\\\b \`id\`"}`;
  const command = curlOf({ url: 'https://shop.example/?a=1&b=2', headers: { 'X-Service-Event': 'x' }, body });
  const shown = command.replace('curl', `printf '%s\\n'`);
  expect(execFileSync('sh', ['-c', shown], { encoding: 'utf8' })).toBe(
    `-X\nPOST\nhttps://shop.example/?a=1&b=2\n-H\nX-Service-Event: x\n--data-raw\n${body}\n`,
  );
});
