import { expect, test } from 'bun:test'

import { isReleased, sectionOf } from '../../src/release/changelog'

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Later.

## [0.2.0] - 2026-12-24

### Fixed

- One.

### Added

- Two,
  in two lines.

## [0.1.0] - 2026-12-01

- The first release.
`

test('the changes of a version are its section, with its date', () => {
  expect(sectionOf(CHANGELOG, '0.2.0')).toEqual({
    date: '2026-12-24',
    text: '### Fixed\n\n- One.\n\n### Added\n\n- Two,\n  in two lines.\n',
  })
  expect(sectionOf(CHANGELOG, '0.1.0').text).toBe('- The first release.\n')
})

test.each([
  ['0.3.0', 'needs one section ## [0.3.0], and has 0'],
  ['Unreleased', 'needs the date of Unreleased'],
])('%p is no version that can be released', (version, problem) => {
  expect(() => sectionOf(CHANGELOG, version)).toThrow(problem)
})

test.each([
  ['## [1.0.0] - 2026-13-01\n\n- x\n', 'needs the date'],
  ['## [1.0.0] - soon\n\n- x\n', 'needs the date'],
  ['## [1.0.0] - 2026-12-01\n\n### Added\n', 'says nothing about 1.0.0'],
  ['## [1.0.0] - 2026-12-01\n\n- x\n\n## [1.0.0] - 2026-12-02\n\n- y\n', 'and has 2'],
])('a section is refused: %p', (changelog, problem) => {
  expect(() => sectionOf(changelog, '1.0.0')).toThrow(problem)
})

test('a version is released once its section has a date', () => {
  expect(['0.1.0', '0.2.0'].map((one) => isReleased(CHANGELOG, one))).toEqual([true, true])
  for (const heading of ['## [0.3.0]', '## [0.3.0] - soon', '## [0.3.0-rc.1] - 2026-12-25'])
    expect(isReleased(`${CHANGELOG}\n${heading}\n\n- x\n`, '0.3.0')).toBe(false)
  for (const version of ['Unreleased', '0.1', '0x1.0'])
    expect(isReleased(CHANGELOG, version)).toBe(false)
})
