import newman from 'newman';

/** Sends every request of our collection, in its order, with the variables that its description asks for. */
const VARIABLES = {
  api_key: process.env.OFFIZIN_API_KEY,
  shop_url: process.env.OFFIZIN_SHOP_URL,
  integration_key: process.env.OFFIZIN_INTEGRATION_KEY,
};

const envVar = Object.entries(VARIABLES).map(([key, value]) => ({ key, value }));
const collection = './collection.json';
newman.run({ collection, reporters: ['cli'], color: 'off', envVar }, (error, { run }) => {
  if (error) throw error;
  console.log(
    `${run.stats.requests.total} requests, ${run.failures.length} answered otherwise than described`,
  );
  process.exitCode = run.failures.length === 0 ? 0 : 1;
});
