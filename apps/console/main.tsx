import './theme.css';
import './frame/ground.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { makeRouter } from './routes';
import {
  rememberedLanguage,
  rememberedTheme,
  rememberLanguage,
  showTheme,
  usePreferences,
} from './session/preferences';
import { makeQueries } from './session/queries';
import { reloadOnceAfterNewBuild } from './frame/new-build';
import type { Texts } from './text/de';
import { type Language, LOCALES } from './text/formats';
import { loadTexts, TextsProvider } from './text/texts';

const queries = makeQueries();
const router = makeRouter(queries);

interface Spoken {
  language: Language;
  texts: Texts;
}

function Console({ first }: { first: Spoken }) {
  const { language, time_zone, theme } = usePreferences();
  const [spoken, setSpoken] = useState(first);
  useEffect(() => {
    showTheme(theme);
  }, [theme]);
  useEffect(() => {
    let isLatest = true;
    rememberLanguage(language);
    void loadTexts(language).then((texts) => {
      if (isLatest) setSpoken({ language, texts });
    });
    return () => {
      isLatest = false;
    };
  }, [language]);
  return (
    <I18nProvider locale={LOCALES[spoken.language]}>
      <TextsProvider language={spoken.language} texts={spoken.texts} timeZone={time_zone}>
        <RouterProvider router={router} />
      </TextsProvider>
    </I18nProvider>
  );
}

async function start(element: HTMLElement): Promise<void> {
  showTheme(rememberedTheme());
  reloadOnceAfterNewBuild(router);
  const language = rememberedLanguage();
  const first = { language, texts: await loadTexts(language) };
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Console first={first} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

const element = document.getElementById('console');
if (element) void start(element);
