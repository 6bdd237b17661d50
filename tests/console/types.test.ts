import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { typesOf } from '../../src/console/api/generate'

const ROOT = join(import.meta.dir, '../..')

test('the types of the console are generated from the present document', async () => {
  const document: unknown = await Bun.file(join(ROOT, 'tests/contract/openapi.json')).json()
  const present = await Bun.file(join(ROOT, 'src/console/api/types.gen.ts')).text()
  const isFresh = typesOf(document as Parameters<typeof typesOf>[0]) === present
  expect(isFresh ? 'fresh' : 'run `bun run openapi`').toBe('fresh')
})
