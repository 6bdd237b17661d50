import { useQuery, type UseQueryResult } from '@tanstack/react-query'

import { call, type Data } from '../../api/client'
import type { Campaign } from '../../api/shapes'

/** What a campaign would do if it began now. */
export type DryRun = Data<'POST /api/campaigns/{id}/dry-run'>

/** Asks the server what a campaign would do; again whenever it was changed. */
export const useDryRun = (campaign: Campaign | null, isNeeded: boolean): UseQueryResult<DryRun> =>
  useQuery({
    queryKey: [
      'POST /api/campaigns/{id}/dry-run',
      ...[campaign?.id, campaign?.updated_at, campaign?.total_recipients],
    ],
    queryFn: ({ signal }) =>
      call('POST /api/campaigns/{id}/dry-run', { params: { id: campaign?.id ?? '' }, signal }),
    enabled: isNeeded && campaign !== null,
    retry: false,
  })
