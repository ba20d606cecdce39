import { createServer, type Server } from 'node:http';
import { axeFindings, coveredControls, cutTexts, missingTitle, sidewaysScroll } from './page-checks';
import { type Screen, type ScreenOptions, useScreens } from './screen';
import { eventually } from '../eventually';
import { closeServer, listenOnLoopback } from '../loopback';

/** The checks that every page of the console passes, each against a page that has exactly that fault. */
const openScreen = useScreens();

const POLICY = "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types one";
const page = (body: string): string =>
  `<!doctype html><html lang="de"><head><title>Seite</title></head><body><main><h1>Seite</h1>${body}</main></body></html>`;
const FILES: Record<string, string> = {
  '/right': page('<button>Freigeben</button><p>Text</p>'),
  '/inline-style': page('<p style="color: red">Text</p>'),
  '/inline-script': page('<script>document.title = 1</script>'),
  '/other-host': page('<script src="http://localhost:9/x.js"></script>'),
  '/html-from-text': page('<script src="/html-from-text.js"></script>'),
  '/html-from-text.js': "document.body.innerHTML = '<p>Text</p>';",
  '/console-error': page('<script src="/console-error.js"></script>'),
  '/console-error.js': "console.error('it went wrong');",
  '/thrown': page('<script src="/thrown.js"></script>'),
  '/thrown.js': "throw new Error('thrown in the page');",
  '/gone': page('<script src="/nothing.js"></script>'),
  '/reset': page('<script src="/reset.js"></script>'),
};

let server: Server;
let address = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    if (url === '/reset.js') return response.destroy();
    const text = FILES[url];
    const type = url.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
    if (url === '/favicon.ico') return response.writeHead(204).end();
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': POLICY,
    });
    return response.end(text ?? '');
  });
  address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});

afterAll(() => closeServer(server));

async function open(path: string, options?: ScreenOptions): Promise<Screen> {
  const screen = await openScreen(options);
  await screen.page.goto(`${address}${path}`);
  return screen;
}

async function openBody(body: string, options?: ScreenOptions): Promise<Screen> {
  const screen = await openScreen(options);
  await screen.page.setContent(page(body));
  return screen;
}

it('finds nothing on a right page, under a strict policy', async () => {
  const screen = await open('/right');
  const { page: right } = screen;
  await right.getByRole('button', { name: 'Freigeben' }).click();
  expect(await coveredControls(right)).toEqual([]);
  expect(await sidewaysScroll(right)).toEqual([]);
  expect(await cutTexts(right)).toEqual([]);
  expect(await missingTitle(right)).toEqual([]);
  expect(screen.faults.unexpected).toEqual([]);
});

it.each([
  ['/inline-style', /^policy violation: style-src-attr blocked inline/],
  ['/inline-script', /^policy violation: script-src-elem blocked inline/],
  ['/other-host', /^policy violation: script-src-elem blocked http:\/\/localhost:9\/x\.js/],
  ['/html-from-text', /^policy violation: require-trusted-types-for blocked trusted-types-sink/],
  ['/console-error', /^console error: it went wrong/],
  ['/thrown', /^page error: Error: thrown in the page/],
  ['/gone', /^console error: Failed to load resource: the server responded with a status of 404/],
  ['/reset', /^request failed: GET .*reset\.js net::ERR_EMPTY_RESPONSE/],
])('sees the fault of %s', async (path, fault) => {
  const screen = await open(path);
  await eventually(`the fault of ${path}`, () => screen.faults.unexpected.some((text) => fault.test(text)));
  screen.faults.expect(/./);
});

it('sees a control that something covers, that is outside, and none that a dialog makes inert', async () => {
  const cover = '<div style="position: fixed; inset: 0 auto auto 0; width: 400px; height: 300px"></div>';
  const { page: covered } = await openBody(`<button>Freigeben</button>${cover}`);
  expect(await coveredControls(covered)).toEqual([expect.stringMatching(/Freigeben is covered by <div/)]);
  const { page: outside } = await openBody('<button style="position: fixed; left: -200px">Ablehnen</button>');
  expect(await coveredControls(outside)).toEqual([expect.stringMatching(/Ablehnen is covered by/)]);
  const { page: behind } = await openBody(`<div inert><button>Freigeben</button></div>${cover}`);
  expect(await coveredControls(behind)).toEqual([]);
});

it('scrolls to a control before it asks what lies there', async () => {
  const { page: long } = await openBody('<div style="height: 5000px"></div><button>Unten</button>');
  expect(await coveredControls(long)).toEqual([]);
});

it('sees what makes a page wider than its window', async () => {
  const { page: wide } = await openBody('<pre style="width: 500px">breit</pre>', { width: 390 });
  expect(await sidewaysScroll(wide)).toEqual([
    'the page is 508 wide in 390',
    expect.stringMatching(/^<pre /),
  ]);
});

it('sees text that is cut without a title', async () => {
  const style = 'width: 60px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis';
  const text = 'Apotheke am Rosengarten';
  const { page: cut } = await openBody(`<p style="${style}">${text}</p>`);
  expect(await cutTexts(cut)).toEqual([text]);
  const { page: titled } = await openBody(`<p style="${style}" title="${text}">${text}</p>`);
  expect(await cutTexts(titled)).toEqual([]);
});

it('sees a page without a title, and one with a title for each part', async () => {
  const { page: many } = await openBody('<h1>Filter</h1><h1>Liste</h1>');
  expect(await missingTitle(many)).toEqual(['titles: Seite, Filter, Liste']);
  const { page: none } = await openBody('<style>h1 { display: none }</style>');
  expect(await missingTitle(none)).toEqual(['titles: ']);
});

it('sees what axe finds, although the page has a policy', async () => {
  const { page: right } = await open('/right');
  expect(await axeFindings(right)).toEqual([]);
  const { page: wrong } = await openBody('<button></button>');
  expect(await axeFindings(wrong)).toEqual([expect.stringMatching(/^button-name: /)]);
});

it('is one person: language, theme, width and zone', async () => {
  const { page: mine } = await openBody('', { width: 390, theme: 'dark', language: 'en' });
  const seen = await mine.evaluate<unknown[]>(
    '[navigator.language, matchMedia("(prefers-color-scheme: dark)").matches, innerWidth, Intl.DateTimeFormat().resolvedOptions().timeZone]',
  );
  expect(seen).toEqual(['en-GB', true, 390, 'Europe/Berlin']);
});
