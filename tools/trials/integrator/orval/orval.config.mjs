/** One client of plain functions over fetch; sender.ts knows the addresses. Paths are those from this file. */
export default {
  offizin: {
    input: '../description.yaml',
    output: {
      target: 'generated/client.ts',
      client: 'fetch',
      headers: true,
      override: { mutator: { path: 'sender.ts', name: 'send' } },
    },
  },
};
