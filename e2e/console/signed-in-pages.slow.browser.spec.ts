import { EVERY_LOOK } from './every-look';
import { testSignedInPages } from './signed-in-pages';

testSignedInPages(EVERY_LOOK);
