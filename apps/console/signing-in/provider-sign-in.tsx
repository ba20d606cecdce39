import { Button } from '../controls/button';
import { Failure } from '../controls/failure';
import { useSignOnTexts } from './sign-on-texts';

interface Props {
  orgId: string;
  /** The page of the console to open then. */
  to?: string | undefined;
  /** As the server gives it; another word counts as the plain refusal. */
  refused?: string | undefined;
  /** Over work that is locked. */
  isAgain?: boolean;
}

/** Leads to the organization's provider, in place of the password. */
export default function ProviderSignIn({ orgId, to, refused, isAgain = false }: Props) {
  const texts = useSignOnTexts();
  const { unavailable, too_old: tooOld, refused: plain } = texts.refusals;
  const why = refused === 'unavailable' ? unavailable : refused === 'too_old' ? tooOld : plain;
  const query = new URLSearchParams({ org: orgId, ...(to !== undefined && { to }) });
  return (
    <>
      <Failure why={refused === undefined ? null : why} isFramed />
      <Button
        onPress={() => {
          window.location.assign(`/console/api/oidc/start?${query.toString()}`);
        }}
      >
        {isAgain ? texts.again : texts.go}
      </Button>
    </>
  );
}
