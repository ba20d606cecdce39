import { useScreens } from '@offizin/testkit/browser/screen';
import { axeFindingsOfEveryLook, inEachLanguage, layoutFindings, visit } from './every-look';

/** The pages before signing in, at every width, in both themes and languages. */
const openScreen = useScreens();

/** The link of the last page is unknown, and the browser notes the answer. */
const UNKNOWN_LINK = /status of 40[04] .*\/console\/api\/links\/read:/;

describe.each(
  inEachLanguage([
    { name: 'sign-in', path: '/console/sign-in', content: 'input[type=password]' },
    { name: 'welcome-gone', path: '/console/welcome#unknown', content: 'a[href$="/sign-in"]' },
  ]),
)('%s in %s', (name, language, visited) => {
  it('covers no control, cuts no text and needs no sideways scrolling', async () => {
    const screen = await openScreen({ language });
    screen.faults.expect(UNKNOWN_LINK);
    await visit(screen, visited);
    expect(await layoutFindings(screen, `${name}-${language}`)).toEqual([]);
  });

  it('has no finding of axe', async () => {
    const screen = await openScreen({ language, withoutPolicy: true });
    screen.faults.expect(UNKNOWN_LINK);
    await visit(screen, visited);
    expect(await axeFindingsOfEveryLook(screen)).toEqual([]);
  });
});
