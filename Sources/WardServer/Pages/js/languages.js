/** A change of the language keeps the view and what was typed. Passwords are not kept. */

const key = 'ward.typed';

/** @param fields The fields whose input is kept, each with an ID. */
export function keepAcrossLanguages(fields) {
  restore(fields);
  for (const link of document.querySelectorAll('.languages a')) {
    link.addEventListener('click', () => {
      // The service sends the browser back to this page, and the browser keeps what stands behind the `#`.
      link.hash = location.hash;
      store(fields);
    });
  }
}

function store(fields) {
  try {
    const typed = Object.fromEntries(fields.map(({ id, value }) => [id, value]));
    sessionStorage.setItem(key, JSON.stringify(typed));
  } catch {
    // Without storage it has to be typed again.
  }
}

function restore(fields) {
  try {
    const typed = JSON.parse(sessionStorage.getItem(key) ?? '{}');
    sessionStorage.removeItem(key);
    for (const field of fields) {
      field.value = typed[field.id] || field.value;
    }
  } catch {
    // Then nothing was kept.
  }
}
