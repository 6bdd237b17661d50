import type { Cells } from '../../../lib/cells'

/**
 * Returns the map file of HAProxy: the backend of each cell by its host name, and of each
 * organization of this cell by its ID, which is the claim `org` of access tokens. A backend is named
 * as the host of its cell.
 */
export function cellMap({ own, peers }: Cells, organizationIds: readonly string[]): string {
  const backendOf = (cell: string): string => new URL(cell).host
  const hosts = [own, ...peers].map(backendOf).toSorted()
  return [
    '# Cells by host name',
    ...hosts.map((host) => `${host} ${host}`),
    `# Organizations of ${own} by the claim org`,
    ...organizationIds.map((id) => `${id} ${backendOf(own)}`),
    '',
  ].join('\n')
}
