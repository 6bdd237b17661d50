import { customType } from 'drizzle-orm/sqlite-core'

/** A column that holds a digest: hexadecimal text in the program, half as many bytes in the database. */
export const hex = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => 'blob',
  toDriver: (digits) => Uint8Array.fromHex(digits),
  fromDriver: (bytes) => bytes.toHex(),
})
