/**
 * The servers that share the work of an installation. Each is a cell: a process with its own
 * database and its own organizations.
 */
export interface Cells {
  /** Address of this cell. */
  own: string
  /** Addresses of the other cells. */
  peers: string[]
  /** Secret that signs requests between cells; `null` in a command if only the service has it. */
  secret: string | null
}

/**
 * Returns the cells of the settings, `null` if none are listed, or what is wrong with the settings,
 * as a sentence for the operator.
 */
export function readCells({
  list,
  own,
  secret,
  isSecretElsewhere,
}: {
  list: string[]
  own: string
  secret: string | null
  /** Whether the service has the secret, and this command beside it does not. */
  isSecretElsewhere: boolean
}): { cells: Cells | null } | { problem: string } {
  if (list.length === 0) return { cells: null }
  if (new Set(list).size < list.length) return { problem: 'CELLS must not repeat an address' }
  if (!list.includes(own))
    return {
      problem:
        'CELLS must contain the address of this server. Set CELL to it if it differs from BASE_URL',
    }
  if (secret === null && !isSecretElsewhere)
    return { problem: 'CELL_SECRET must be set, to the same value in all CELLS' }
  return { cells: { own, peers: list.filter((address) => address !== own), secret } }
}
