/**
 * Checks a proof of a decision, as GET …/order-requests/{id}/proof answers it. Node.js 20 or later, no package:
 *
 *   node verify-proof.mjs proof.json keys.json [document.pdf …]
 *
 * keys.json: the answer of /.well-known/offizin-proof-keys of the pharmacy's installation, as a file or as its address. Fetch it
 * yourself: the sender of a false proof would send false keys, too. Each document must be one of the proof.
 *
 * The signature is a JWS (RFC 7515, EdDSA) with detached content: the proof without `signature`, in the form of RFC 8785. So
 * every change of a value, and every value more or less, is found. The seals in `audit` bind the entries to the audit log of the
 * pharmacy: one that is changed there later has another seal.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

/** One sentence for each problem; none: the proof is genuine. */
export function problemsOf(text, keySet, documents = []) {
  try {
    const proof = JSON.parse(text);
    // A name that is there twice, or a value that is spelled otherwise, shows a reader a content that was not signed.
    if (JSON.stringify(proof) !== withoutBlanks(text)) return ['The text is not written as it was issued.'];
    const { signature, ...content } = proof;
    if (!isSigned(content, signature, keySet)) return ['The signature does not fit: something was changed.'];
    if (content.format !== 'offizin-proof-1') return ['This program does not know the format of the proof.'];
    return [...decisionProblems(content), ...documentProblems(content, documents)];
  } catch (error) {
    return [`The proof cannot be checked: ${error.message}`];
  }
}

function isSigned(content, signature, { keys }) {
  const [header, payload, signed, ...more] = signature.split('.');
  if (payload !== '' || more.length > 0) return false;
  const { alg, kid, ...others } = JSON.parse(bytesOf(header));
  const [key, ...same] = keys.filter((one) => one.kid === kid && one.kty === 'OKP' && one.crv === 'Ed25519');
  if (!key || same.length > 0) throw new Error(`the keys do not have exactly one ${kid}: fetch them again`);
  if (alg !== 'EdDSA' || Object.keys(others).length > 0) return false;
  const text = `${header}.${Buffer.from(canonical(content)).toString('base64url')}`;
  return verify(null, Buffer.from(text), createPublicKey({ key, format: 'jwk' }), bytesOf(signed));
}

/** One text for each value: a decoder also reads spellings that were not signed. */
function bytesOf(part) {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new Error('a part of the signature is not Base64url');
  return bytes;
}

/** RFC 8785: members by name, no blanks. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

function withoutBlanks(text) {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

/** The decision is an entry of the audit log, with its seal. */
function decisionProblems({ decision, audit }) {
  if (decision.position === null) return [];
  const entry = audit.entries.find(({ position }) => position === decision.position);
  const isSame = entry?.actor === decision.by && entry.at === decision.at;
  return isSame ? [] : ['The decision is not among the entries of the audit log.'];
}

function documentProblems(content, documents) {
  const known = new Set(content.documents.map(({ sha256 }) => sha256));
  const hashes = documents.map(({ name, bytes }) => [name, createHash('sha256').update(bytes).digest('hex')]);
  return hashes.filter(([, hash]) => !known.has(hash)).map(([name]) => `${name} is not in the proof.`);
}

async function main([proofFile, keys, ...pdfFiles]) {
  if (!keys) throw new Error('Usage: node verify-proof.mjs proof.json keys.json [document.pdf …]');
  const text = await readFile(proofFile, 'utf8');
  const keySet = JSON.parse(
    /^https?:/.test(keys) ? await (await fetch(keys)).text() : await readFile(keys, 'utf8'),
  );
  const documents = await Promise.all(pdfFiles.map(async (name) => ({ name, bytes: await readFile(name) })));
  const problems = problemsOf(text, keySet, documents);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const { request, decision, audit, documents: all } = JSON.parse(text);
  const by = [decision.first?.by, decision.by].filter(Boolean).join(' and ');
  console.log(
    `genuine: ${request.id} was ${request.status} by ${by || 'an import'} at ${decision.at ?? 'an earlier time'}`,
  );
  console.log(`${all.length} documents, ${audit.entries.length} entries, sealed up to ${audit.sealed_to}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href)
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
