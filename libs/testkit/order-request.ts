/** The smallest order request that every shop takes. */
export function orderRequest(
  payload: Record<string, unknown> = {},
  envelope: Record<string, unknown> = {},
): { payload: Record<string, unknown> } & Record<string, unknown> {
  const items = [{ name: 'Salbe', quantity: 2, price: 3.5 }];
  return {
    source: 'telemedicine',
    ...envelope,
    payload: { customer_name: 'Erika Mustermann', items, ...payload },
  };
}
