import { element } from '../element';
import type { Access } from './access';

/** The form for the API key; with a key, what was filled in from it. */
export function drawAccessForm(place: HTMLElement, access: Access): void {
  const draw = (): void => place.replaceChildren(access.isKnown ? known(access) : unknown(access));
  access.onChange(draw);
  draw();
}

function unknown(access: Access): HTMLElement {
  const field = element('input', {
    id: 'api-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'ofz_org_…',
    required: '',
  });
  const told = element('p', { class: 'told', role: 'alert' });
  const form = element(
    'form',
    { class: 'access' },
    element('label', { for: 'api-key' }, 'Organization API key'),
    field,
    element('button', { type: 'submit' }, 'Use this key'),
    element('p', { class: 'hint' }, 'Fills in organization, shop and token. It stays in this page’s memory.'),
    told,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    told.textContent = '';
    access.use(field.value.trim()).catch((error: unknown) => {
      told.textContent = error instanceof Error ? error.message : String(error);
    });
  });
  return form;
}

function known(access: Access): HTMLElement {
  const shops = element(
    'select',
    { id: 'shop' },
    ...access.shops.map(({ shop_id, name }) =>
      element('option', { value: shop_id, ...(shop_id === access.shopId && { selected: '' }) }, name),
    ),
  );
  shops.addEventListener('change', () => access.chooseShop(shops.value));
  const leave = element('button', { type: 'button' }, 'Forget the key');
  leave.addEventListener('click', () => access.forget());
  const hasShops = access.shops.length > 0;
  return element(
    'div',
    { class: 'access' },
    element('span', {}, 'Organization ', element('code', {}, access.organizationId ?? '')),
    hasShops ? element('label', { for: 'shop' }, 'Shop') : null,
    hasShops ? shops : null,
    leave,
  );
}
