import { describe, expect, test } from 'bun:test'

import { keyName } from '../../../src/console/parts/keys'

describe('the name of a key press', () => {
  const press = (key: string, code = '', shiftKey = false): string =>
    keyName({ key, code, shiftKey })

  test('tells letters, arrows and the space bar with Shift from those without', () => {
    expect(press('x', 'KeyX')).toBe('x')
    expect(press('X', 'KeyX', true)).toBe('Shift+X')
    expect(press('ArrowDown')).toBe('ArrowDown')
    expect(press('ArrowDown', 'ArrowDown', true)).toBe('Shift+ArrowDown')
    expect(press(' ', 'Space', true)).toBe('Shift+ ')
    expect(press('F10', 'F10', true)).toBe('Shift+F10')
  })

  test('is that of a sign with and without Shift, and that of a Latin letter in other scripts', () => {
    expect(press('?', 'Slash', true)).toBe('?')
    expect(press('/', 'Digit7', true)).toBe('/')
    expect(press('؟', 'Slash', true)).toBe('?')
    expect(press('о', 'KeyJ')).toBe('j')
    expect(press('О', 'KeyJ', true)).toBe('Shift+J')
  })
})
