/** Which columns of a file are the number and the name of a person. */
export interface Roles {
  phone: string | null
  name: string | null
}

interface Column {
  header: string
  /** What the server takes it for. */
  key: string | null
}

/** What the API calls the name of a recipient. */
const RECIPIENT_NAME = 'recipient_name'

/** Returns what the columns are taken for at first. */
export const roleOf = (columns: readonly Column[]): Roles => ({
  phone: columns.find(({ key }) => key === 'phone_number')?.header ?? null,
  name:
    columns.find(({ key, header }) => key === 'name' || header.trim() === RECIPIENT_NAME)?.header ??
    null,
})

/** Returns what each column is for the server. All of them can be bound to variables of the template. */
export const mappingOf = (columns: readonly Column[], roles: Roles): Record<string, string> =>
  Object.fromEntries(
    columns.map(({ header }) => [
      header,
      header === roles.phone
        ? 'phone_number'
        : header === roles.name
          ? RECIPIENT_NAME
          : `columns.${header}`,
    ]),
  )
