import { cellMap } from '../modules/data/cells/map'
import { listAllOrganizations } from '../modules/organization/users/cli'
import { withDatabase } from './database'
import { UsageError, type Command } from './command'

/** States of organizations whose requests belong to this cell. */
const WORKING = new Set(['active', 'deleting', 'moving'])

/** Prints what a proxy before several cells needs. */
export const cells: Command = {
  name: 'cells',
  forms: [['cells map', 'print the map file for HAProxy']],
  more:
    'Prints the backend of each cell (CELLS) by its host name, and of each organization of this ' +
    'cell by its\nID, which is the claim "org" of access tokens. Put the output of all cells into ' +
    'one file. See /docs/second-server.',
  flags: {},
  words: 1,
  async run(invocation) {
    const [verb] = invocation.words
    if (verb !== 'map')
      throw new UsageError(
        verb === undefined ? 'cells needs a subcommand: map.' : `Unknown command "cells ${verb}".`,
      )
    // Standard output is a file for HAProxy, so the data folder is not printed. No secret is needed.
    const text = await withDatabase({ ...invocation, isJson: true }, ({ db, settings }) => {
      if (settings.cells === null) throw new UsageError('CELLS is not set.')
      return cellMap(
        settings.cells,
        listAllOrganizations({ db })
          .filter(({ state }) => WORKING.has(state))
          .map(({ id }) => id),
      )
    })
    process.stdout.write(text)
  },
}
