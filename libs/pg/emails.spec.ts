import { emailKey, formsOfEmail } from './emails';

describe('two e-mail addresses', () => {
  it.each([
    ['x@xn--exmple-cua.de', ['X@EXÄMPLE.DE', 'x@exa\u0308mple.de', ' x@XN--EXMPLE-CUA.DE ']],
    ['ΣΑΣ@example.org', ['σας@example.org', 'σασ@EXAMPLE.org', 'Σας@example.org']],
    ['Σ.ΣΑΣ@ελλάς.gr', ['σ.σας@xn--hxarsa0b.gr', 'ς.ΣΑΣ@Ελλάς.gr']],
    ['Jörg@example.org', ['JO\u0308RG@example.org']],
  ])('%s is one mailbox with %j', (email, others) => {
    expect(others.map(emailKey)).toEqual(others.map(() => emailKey(email)));
  });

  it.each([
    ['straße@example.org', 'strasse@example.org'],
    ['x@faß.de', 'x@fass.de'],
    ['x@exämple.de', 'x@exaemple.de'],
    ['jorg@example.org', 'jörg@example.org'],
    // Names are not domains.
    ['xn--exmple-cua@example.org', 'exämple@example.org'],
  ])('%s and %s are two mailboxes', (email, other) => {
    expect(emailKey(email)).not.toBe(emailKey(other));
  });

  it.each(['x', 'x@', '@example.org', 'Jörg Müller', 'x@ä ö', 'x@[::1]'])(
    '%j, which is not an address, has itself as its key',
    (text) => {
      expect(emailKey(text)).toBe(text.toLowerCase());
      expect(formsOfEmail(text)).toContain(text);
      expect(formsOfEmail(text)).not.toContain('');
    },
  );
});

it('an address of ASCII has one form besides itself', () => {
  expect(formsOfEmail('Erika@Example.org')).toEqual(['Erika@Example.org', 'erika@example.org']);
});
