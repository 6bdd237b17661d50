import { customType } from 'drizzle-orm/sqlite-core'

import { unclassified } from './columns'

const hexColumn = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => 'blob',
  toDriver: (digits) => Uint8Array.fromHex(digits),
  fromDriver: (bytes) => bytes.toHex(),
})

/** A column that holds a digest: hexadecimal text in the program, half as many bytes in the database. */
export const hex = <N extends string>(name: N) => unclassified(hexColumn(name))
