/** A Python that the client package and the programs of the guides run on; `null` where there is none. */
export function findPython(): string | null {
  const python = Bun.which('python3')
  if (python === null) return null
  const isNew = 'import sys; sys.exit(sys.version_info < (3, 11))'
  return Bun.spawnSync([python, '-c', isNew]).success ? python : null
}
