import { ObjectStore } from '@offizin/testkit/object-store';
import { checkDocumentStore } from './store-check';

const settings = (store: ObjectStore) => ({
  url: store.url,
  region: 'us-east-1',
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
});

it('writes, reads and deletes an object, and states what is wrong otherwise', async () => {
  const store = await ObjectStore.start();
  try {
    expect(await checkDocumentStore(settings(store))).toMatchObject({ outcome: 'ok' });
    expect(store.names()).toEqual([]);
    const wrongKey = { ...settings(store), secretAccessKey: 'wrong' };
    expect(await checkDocumentStore(wrongKey)).toMatchObject({
      outcome: 'problem',
      found: expect.stringMatching(/SignatureDoesNotMatch/),
      advice: expect.stringMatching(/access key/),
    });
    const noBucket = { ...settings(store), url: store.url.replace('documents', 'nowhere') };
    expect(await checkDocumentStore(noBucket)).toMatchObject({
      outcome: 'problem',
      found: expect.stringMatching(/NoSuchBucket/),
      advice: expect.stringMatching(/bucket/),
    });
    await store.kill();
    expect(await checkDocumentStore(settings(store))).toMatchObject({
      outcome: 'problem',
      found: expect.stringMatching(/written/),
      advice: expect.stringMatching(/Start the store/),
    });
  } finally {
    await store.stop();
  }
  expect(await checkDocumentStore(undefined)).toMatchObject({ outcome: 'skipped' });
});
