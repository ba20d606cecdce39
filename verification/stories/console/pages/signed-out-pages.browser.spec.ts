import { useScreens } from '@offizin/testkit/browser/screen';
import { findingsOfEachLook, inEachLanguage, visit } from './every-look';

/** The pages before signing in, at every width, in both themes and languages. */
const openScreen = useScreens();

/** The link of the last page is unknown, and the browser notes the answer. */
const UNKNOWN_LINK = /status of 40[04] .*\/console\/api\/links\/read:/;

it.each(
  inEachLanguage([
    {
      name: 'sign-in',
      path: '/console/sign-in?org=01890000-0000-7000-8000-000000000000&refused=too_old',
      content: 'main h1 + [role=alert] + button',
    },
    { name: 'welcome-gone', path: '/console/welcome#unknown', content: 'a[href$="/sign-in"]' },
  ]),
)('%s in %s is read, reached and used at every look', async (name, language, visited) => {
  const screen = await openScreen({ language });
  screen.faults.expect(UNKNOWN_LINK);
  await visit(screen, visited);
  expect(await findingsOfEachLook(screen, name, language)).toEqual([]);
});
