import { bytesToUuid } from '../../src/infra/db/uuid'

const BYTES = 16

/** The UUID of something that a test calls by a short name. Sorts as the names do. */
export function idNamed(name: string): string {
  const bytes = new Uint8Array(BYTES)
  const { read } = new TextEncoder().encodeInto(name, bytes)
  if (read < name.length) throw new RangeError(`${name} is longer than 16 bytes`)
  return bytesToUuid(bytes)
}

/** The stored bytes of an expression that is a UUID as text, for raw SQL. */
export const storedId = (text: string): string => `unhex(${text}, '-')`
