import { expect, test } from 'bun:test'

import { describeSchema } from '../../drizzle/baseline/schema'

const PARENTS = 'CREATE TABLE `parents` (\n\t`id` integer PRIMARY KEY NOT NULL\n) STRICT;'
const CHILDREN = [
  'CREATE TABLE `children` (',
  '\t`id` integer PRIMARY KEY NOT NULL,',
  '\t`parent_id` integer,',
  "\t`state` text DEFAULT 'a,(b' NOT NULL,",
  '\tFOREIGN KEY (`parent_id`) REFERENCES `parents`(`id`) ON UPDATE no action ON DELETE no action,',
  '\tCONSTRAINT "children_state" CHECK("children"."state" in (\'a,(b\', \'c\'))',
  ') STRICT;',
].join('\n')
const INDEX =
  'CREATE INDEX `children_of` ON `children` (`parent_id`) WHERE "children"."state" = \'c\';'
const declared = describeSchema([PARENTS, CHILDREN, INDEX])

test('a schema is the same whichever way migrations led to it', () => {
  const without = CHILDREN.replace('\t`parent_id` integer,\n', '').replace(/\tFOREIGN KEY.*\n/, '')
  const added = 'ALTER TABLE `children` ADD `parent_id` integer REFERENCES parents(id);'
  expect(describeSchema([PARENTS, without, added, INDEX])).toEqual(declared)
  const rebuilt = [
    CHILDREN.replace('`children`', '`__new_children`').replaceAll(
      '"children".',
      '"__new_children".',
    ),
    'DROP TABLE `children`;',
    'ALTER TABLE `__new_children` RENAME TO `children`;',
  ]
  expect(describeSchema([PARENTS, without, ...rebuilt, INDEX])).toEqual(declared)
})

test.each([
  [
    'a column',
    'children',
    CHILDREN.replace('`parent_id` integer,', '`parent_id` integer, `x` text,'),
  ],
  ['a type', 'children', CHILDREN.replace('`state` text', '`state` blob')],
  ['a default', 'children', CHILDREN.replace("DEFAULT 'a,(b'", "DEFAULT 'c'")],
  ['a requirement', 'children', CHILDREN.replace(' NOT NULL,\n\tFOREIGN', ',\n\tFOREIGN')],
  ['a check', 'children', CHILDREN.replace(", 'c'))", '))')],
  ['a reference', 'children', CHILDREN.replace('ON DELETE no action', 'ON DELETE cascade')],
  ['strictness', 'children', CHILDREN.replace(') STRICT', ')')],
  ['the order of rows', 'parents', PARENTS.replace('STRICT', 'STRICT, WITHOUT ROWID')],
  ['an index', 'index', INDEX.replace("'c'", "'d'")],
])('another schema differs in %s', (_, which, changed) => {
  const statements = { parents: PARENTS, children: CHILDREN, index: INDEX, [which]: changed }
  expect(Object.values({ parents: PARENTS, children: CHILDREN, index: INDEX })).not.toContain(
    changed,
  )
  const other = describeSchema(Object.values(statements))
  expect([...other].filter((line) => !declared.has(line)).length).toBeGreaterThan(0)
})
