import { FOUR_LOOKS } from './every-look';
import { testSignedInPages } from './signed-in-pages';

testSignedInPages(FOUR_LOOKS);
