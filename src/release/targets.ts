/** The systems that a release has an executable for, and the name that Bun has for each. */
export const TARGETS = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-arm64',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64-musl': 'bun-linux-arm64-musl',
  'darwin-arm64': 'bun-darwin-arm64',
  'darwin-x64': 'bun-darwin-x64',
} as const

export type Target = keyof typeof TARGETS

/** Returns the target of this name. Throws when there is none. */
export function targetNamed(name: string): Target {
  if (name in TARGETS) return name as Target
  throw new Error(`no target "${name}"; there are ${Object.keys(TARGETS).join(', ')}`)
}
