import { type Language, LANGUAGES, signInAs, useKeptScreens } from '@offizin/testkit/browser/screen';
import type { TestPerson } from '@offizin/testkit/person';
import { TestPlatform, usePlatform } from '@offizin/testkit/platform';
import { findingsOfEachLook, visit, visitFromInside, type VisitedPage, type Visitor } from './every-look';
import { filledPharmacy } from './filled-pharmacy';
import type { Pharmacy } from '../requests/review-screen';
import { SIGNED_IN_PAGES } from './visited-pages';

/** Each page of a pharmacist and an owner, in both languages. */
const screens = useKeptScreens();
const platform = usePlatform();
let people: People;

beforeAll(async () => {
  people = await readersOf(platform, await filledPharmacy(platform));
});

/** Of the page in one language. Only the first page of a person loads the console. */
async function findings(visited: VisitedPage, language: Language): Promise<string[]> {
  const { name, role = 'pharmacist', leavesTraces = false } = visited;
  const person = `${role} ${language}`;
  const known = screens.take(person);
  const screen = known ?? (await screens.open({ language }));
  if (known) await visitFromInside(screen, visited);
  else {
    await signInAs(screen, people[role][language]);
    await visit(screen, visited);
  }
  const found = await findingsOfEachLook(screen, name, language);
  if (!leavesTraces) screens.keep(person, screen);
  return found.map((finding) => `${language} ${finding}`);
}

it.each(SIGNED_IN_PAGES.map((visited) => [visited.name, visited] as const))(
  '%s is read, reached and used at each look, in both languages',
  async (_, visited) => {
    const found = await Promise.all(LANGUAGES.map((language) => findings(visited, language)));
    expect(found.flat()).toEqual([]);
  },
  90_000,
);

type People = Record<Visitor, Record<Language, TestPerson>>;

/** One person per language: the person's language counts, not the browser's. */
async function readersOf(platform: TestPlatform, { organization }: Pharmacy): Promise<People> {
  const reader = async (role: Visitor, language: Language): Promise<TestPerson> => {
    const person = await platform.person(organization.orgId, role);
    await person.call('PUT', '/api/me', { language });
    return person;
  };
  const readers = async (role: Visitor): Promise<Record<Language, TestPerson>> => ({
    de: await reader(role, 'de'),
    en: await reader(role, 'en'),
  });
  return { pharmacist: await readers('pharmacist'), owner: await readers('owner') };
}
