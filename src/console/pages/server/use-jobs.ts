import { useQueryClient } from '@tanstack/react-query'

import { refreshRows } from '../../live/rows'

const ROUTES = [
  'GET /api/admin/attention',
  'GET /api/admin/health',
  'GET /api/jobs/kinds',
  'GET /api/jobs/{id}',
] as const

/** Returns a function that loads again what changes with a job. */
export function useJobsChanged(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await Promise.all([
      ...ROUTES.map((route) => client.invalidateQueries({ queryKey: [route] })),
      refreshRows(client, 'GET /api/jobs'),
    ])
  }
}
