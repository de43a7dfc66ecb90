interface Named {
  first_name: string;
  last_name: string;
  email: string;
}

/** The initials of the first and last name, or the first letter of the email address if there is no last name. */
export function initials({ first_name, last_name, email }: Named): string {
  const first = [...first_name.trim()][0] ?? '';
  const last = [...last_name.trim()][0] ?? '';
  return (last === '' ? ([...email][0] ?? '') : first + last).toUpperCase();
}

/** The name in the user menu. */
export const fullName = (person: Named & { username: string }): string =>
  `${person.first_name} ${person.last_name}`.trim() || person.username;
