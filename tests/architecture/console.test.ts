import { describe, expect, test } from 'bun:test'
import { posix } from 'node:path'

import { importsOf, type Source } from '../support/sources'
import { consoleFiles, eachImport, file, refusing, rule, type Check } from './support'

/** The layers of the console from left to right. */
const LAYERS = ['texts', 'api', 'live', 'parts', 'pages', 'app', 'main']

const layerOf = (path: string): number =>
  LAYERS.indexOf(
    path === 'src/console/main.tsx' ? 'main' : (/^src\/console\/([^/]+)\//.exec(path)?.[1] ?? ''),
  )

/** The page of a file: its folder, or the file itself. */
const pageOf = (path: string): string | null =>
  /^src\/console\/pages\/([^/.]+)/.exec(path)?.[1] ?? null

const isCode = (path: string): boolean => /\.tsx?$/.test(path)
const isStyle = (path: string): boolean => path.endsWith('.css')
const code = consoleFiles.filter(({ path }) => isCode(path))

/** Packages that only one layer knows. */
const ONLY_IN: Record<string, string> = {
  'react-aria-components': 'parts',
  'intl-messageformat': 'texts',
}

test('the scan sees the console', () => {
  const paths = consoleFiles.map(({ path }) => path)
  expect(paths).toContain('src/console/app/console.tsx')
  expect(paths).toContain('src/console/style.css')
})

describe('the console', () => {
  rule(
    'imports only its own files, of its own layer or one to the left',
    eachImport((from, to) => {
      if (!to.startsWith('src/console/')) return 'outside of the console'
      if (to.endsWith('/types.gen.ts') && layerOf(from) !== layerOf(to))
        return 'types of the API have their names in shapes.ts'
      if (layerOf(from) < 0) return 'a folder that is no layer'
      return layerOf(to) > layerOf(from) ? 'a layer to the right' : null
    }),
    {
      refuses: [
        [file('src/console/api/a.ts', "import { b } from '../live/b'")],
        [file('src/console/live/a.ts', "import { b } from '../parts/b'")],
        [file('src/console/parts/a.tsx', "import { b } from '../pages/b'")],
        [file('src/console/pages/a.tsx', "import { b } from '../app/b'")],
        [file('src/console/api/a.ts', "import type { B } from '../../lib/b'")],
        [file('src/console/live/a.ts', "import type { B } from '../api/types.gen'")],
        [file('src/console/extra/a.ts', "import { b } from '../api/b'")],
      ],
      accepts: [
        file(
          'src/console/pages/a.tsx',
          "import { b } from '../api/b'",
          "import { c } from '../parts/c'",
          "import { d } from 'react'",
        ),
      ],
    },
    code,
  )

  rule(
    'has pages that do not know each other',
    eachImport((from, to) =>
      pageOf(from) !== null && pageOf(to) !== null && pageOf(from) !== pageOf(to)
        ? 'another page'
        : null,
    ),
    {
      refuses: [[file('src/console/pages/inbox/a.tsx', "import { b } from '../settings/b'")]],
      accepts: [file('src/console/pages/inbox/a.tsx', "import { b } from './b'")],
    },
    code,
  )

  const packages: Check = (files) =>
    files.flatMap((source) =>
      importsOf(source)
        .filter((name) => {
          const layer = ONLY_IN[name]
          return layer !== undefined && LAYERS[layerOf(source.path)] !== layer
        })
        .map((name) => `${source.path} imports ${name}`),
    )
  rule(
    'keeps libraries of components behind its parts',
    packages,
    {
      refuses: [
        [file('src/console/pages/a.tsx', "import { Button } from 'react-aria-components'")],
      ],
      accepts: [file('src/console/parts/a.tsx', "import { Button } from 'react-aria-components'")],
    },
    code,
  )

  rule(
    'creates elements, never HTML',
    refusing(
      /\b(dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b/g,
    ),
    {
      refuses: [[file('src/console/parts/a.tsx', '<p dangerouslySetInnerHTML={{ __html: x }} />')]],
      accepts: [file('src/console/parts/a.tsx', '<p>{x}</p>')],
    },
    code,
  )

  rule(
    'keeps no token in storage',
    refusing(/\b(?:local|session)Storage\.setItem\([^)]*token/gi),
    {
      refuses: [[file('src/console/api/a.ts', "localStorage.setItem('x', token)")]],
      accepts: [file('src/console/api/a.ts', "localStorage.setItem('signed-in', '1')")],
    },
    code,
  )

  const SIDES =
    /(?<![\w-])(?:(?:margin|padding|border)-(?:left|right|top|bottom)|left|right|(?:min-|max-)?(?:width|height)|text-align:\s*(?:left|right))(?=\s*:|\s*;)/g
  rule(
    'has styles that work in both directions',
    refusing(SIDES, isStyle, ({ text }) => text.replaceAll(/@media[^{]*/g, '')),
    {
      refuses: [
        [file('src/console/a.css', '.a { margin-left: 1px }')],
        [file('src/console/a.css', '.a { left: 0 }')],
        [file('src/console/a.css', '.a { text-align: right; }')],
        [file('src/console/a.css', '.a { width: 1px }')],
      ],
      accepts: [
        file('src/console/a.css', '@media (width < 48rem) { .a { margin-inline-start: 1px } }'),
        file('src/console/b.css', '.b { text-align: end; border-block-end: 0 }'),
      ],
    },
    consoleFiles.filter(({ path }) => isStyle(path)),
  )

  rule(
    'says what every exported function does',
    undocumented,
    {
      refuses: [[file('src/console/parts/a.tsx', 'export function A() {}')]],
      accepts: [file('src/console/parts/a.tsx', '/** A. */', 'export function A() {}')],
    },
    code,
  )

  rule(
    'has files of at most 250 lines',
    (files) =>
      files
        .filter(({ text }) => text.split('\n').length > 251)
        .map(({ path }) => `${path} is longer`),
    {
      refuses: [[file('src/console/parts/a.tsx', ...Array.from({ length: 252 }, () => 'x'))]],
      accepts: [file('src/console/parts/a.tsx', 'x')],
    },
    code,
  )

  test('has file names of lower-case words', () => {
    const names = code.map(({ path }) => posix.basename(path))
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(name))).toEqual([])
  })
})

/** Exported functions without a docstring right above. */
function undocumented(files: Source[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?function\*? ?(\w+)/gm)]
      .filter((match) => !text.slice(0, match.index).trimEnd().endsWith('*/'))
      .map((match) => `${path}: ${match[1]} has no docstring`),
  )
}
