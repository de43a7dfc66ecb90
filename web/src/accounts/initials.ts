interface Named {
  first_name: string;
  last_name: string;
  email: string;
}

/** First letters of first and last name; of the e-mail address where there is no last name. */
export function initials({ first_name, last_name, email }: Named): string {
  const first = [...first_name.trim()][0] ?? '';
  const last = [...last_name.trim()][0] ?? '';
  return (last === '' ? ([...email][0] ?? '') : first + last).toUpperCase();
}

/** What the user menu calls the person. */
export const fullName = (person: Named & { username: string }): string =>
  `${person.first_name} ${person.last_name}`.trim() || person.username;
