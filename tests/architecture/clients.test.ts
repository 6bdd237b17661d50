import { readClients } from '../support/sources'
import { eachImport, file, rule } from './support'

/** What a package is made of; the rest makes the packages. */
const isPackaged = (path: string): boolean => path.startsWith('src/clients/typescript/')

rule(
  'the client package knows the server by its API only',
  eachImport((from, to) => {
    if (isPackaged(from))
      return isPackaged(to) || to === 'src/console/api/types.gen.ts'
        ? null
        : 'outside of the package'
    const isTool = /^src\/(clients|release)\/|^src\/console\/api\/generate\.ts$|^package\.json$/
    return isTool.test(to) ? null : 'no part of the tools'
  }),
  {
    refuses: [
      [file('src/clients/typescript/a.ts', "import { b } from '../../lib/b'")],
      [file('src/clients/typescript/a.ts', "import type { B } from '../write'")],
      [file('src/clients/write.ts', "import { b } from '../modules/b'")],
    ],
    accepts: [
      file('src/clients/typescript/a.ts', "import type { B } from '../../console/api/types.gen'"),
      file('src/clients/typescript/b.ts', "import { a } from './a'"),
      file('src/clients/write.ts', "import { a } from '../console/api/generate'"),
    ],
  },
  readClients(),
)
