import { Elysia, t } from 'elysia'

import { csvAnswer } from '../../../http/csv-response'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { xlsxAnswer } from '../../../http/xlsx-response'
import { csvOf, recipientTable } from '../results/export'
import {
  CampaignView,
  FunnelView,
  NewSchedule,
  ProgressView,
  RECIPIENT_STATUSES,
  ResumeInput,
  RetryInput,
  RetryView,
  StartInput,
} from '../model'
import { getFunnel, getProgress } from '../results/progress'
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  scheduleCampaign,
  startCampaign,
} from './schedule'
import { retryFailed } from './retry-failed'

const START_REFUSALS = [
  '400 no_recipients',
  '400 missing_params',
  '400 invalid_params',
  '400 template_not_approved',
  '400 account_inactive',
  '400 over_budget',
  '409 wrong_state',
] as const

const ExportQuery = t.Object({
  format: t.Optional(oneOf(['csv', 'xlsx'], { description: 'Default csv.' })),
  status: t.Optional(oneOf(RECIPIENT_STATUSES)),
})

const TABLE = {
  200: {
    description: 'The file.',
    content: {
      'text/csv': { schema: { type: 'string' as const } },
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
        schema: { type: 'string' as const, format: 'binary' },
      },
    },
  },
}

/** Setting campaigns going and stopping them. */
export const campaignSteeringRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .post('/:id/schedule', ({ ctx, params, body }) => ok(scheduleCampaign(ctx, params.id, body)), {
      can: 'campaigns:execute',
      refuses: START_REFUSALS,
      params: IdParam,
      body: NewSchedule,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'scheduleCampaign',
        summary: 'Set when a campaign starts',
        description: 'It starts once at that instant, or as soon as the server runs again.',
      },
    })
    .post(
      '/:id/start',
      ({ ctx, params, body }) => ok(startCampaign(ctx, params.id, body?.now ?? false)),
      {
        canBulk: 'campaigns:execute',
        refuses: START_REFUSALS,
        params: IdParam,
        body: t.Union([StartInput, t.Null()]),
        response: { 200: Ok(CampaignView) },
        detail: {
          operationId: 'startCampaign',
          summary: 'Start a campaign',
          description: 'At once, or at its time when that lies ahead and `now` is not true.',
        },
      },
    )
    .post('/:id/pause', ({ ctx, params }) => ok(pauseCampaign(ctx, params.id)), {
      can: 'campaigns:execute',
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'pauseCampaign',
        summary: 'Pause a campaign',
        description: 'What was not handed to the platform yet waits again; calls under way finish.',
      },
    })
    .post(
      '/:id/resume',
      ({ ctx, params, body }) => ok(resumeCampaign(ctx, params.id, body?.ignore_errors ?? false)),
      {
        can: 'campaigns:execute',
        refuses: [...START_REFUSALS, '409 restored'],
        params: IdParam,
        body: t.Union([ResumeInput, t.Null()]),
        response: { 200: Ok(CampaignView) },
        detail: {
          operationId: 'resumeCampaign',
          summary: 'Let a campaign go on',
          description:
            'It continues where it stood. 400 while the cause of the pause is still there. After a restored backup (`pause_reason` is `restored`) recipients may have been written to since the backup was made: 409 `restored` says how many in `details.recipients`, and only `ignore_errors: true` resumes it.',
        },
      },
    )
    .post('/:id/cancel', ({ ctx, params }) => ok(cancelCampaign(ctx, params.id)), {
      can: 'campaigns:execute',
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'cancelCampaign',
        summary: 'Cancel a campaign',
        description: 'Permanent. Remaining recipients get no message.',
      },
    })

/** What becomes of campaigns, and trying again what failed. */
export const campaignResultRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .post(
      '/:id/retry-failed',
      async ({ ctx, params, body }) => ok(await retryFailed(ctx, params.id, body ?? {})),
      {
        canBulk: 'campaigns:execute',
        refuses: ['400 nothing_to_retry', ...START_REFUSALS],
        params: IdParam,
        body: t.Union([RetryInput, t.Null()]),
        response: { 200: Ok(RetryView) },
        detail: {
          operationId: 'retryFailedCampaignRecipients',
          summary: 'Try those again that failed',
          description:
            'Each gets a new message. Only what is worth it, or the codes named; what is unknown only when asked for. Of a completed or paused campaign.',
        },
      },
    )
    .get('/:id/progress', ({ ctx, params }) => ok(getProgress(ctx, params.id)), {
      can: 'campaigns:read',
      params: IdParam,
      response: { 200: Ok(ProgressView) },
      detail: { operationId: 'getCampaignProgress', summary: 'How far a campaign is' },
    })
    .get(
      '/:id/funnel',
      ({ ctx, params, query }) => ok(getFunnel(ctx, params.id, query.interval ?? 'hour')),
      {
        can: 'campaigns:read',
        params: IdParam,
        query: t.Object({
          interval: t.Optional(oneOf(['hour', 'day'], { description: 'Default hour.' })),
        }),
        response: { 200: Ok(FunnelView) },
        detail: {
          operationId: 'getCampaignFunnel',
          summary: 'What happened when',
          description: 'Days are those of the time zone of the campaign.',
        },
      },
    )
    .get(
      '/:id/export',
      ({ ctx, params, query, request }) => {
        const table = recipientTable(ctx, params.id, query.status)
        return query.format === 'xlsx'
          ? xlsxAnswer(request, 'campaign.xlsx', table)
          : csvAnswer(request, 'campaign.csv', csvOf(table))
      },
      {
        canBulk: 'campaigns:read',
        params: IdParam,
        query: ExportQuery,
        detail: {
          operationId: 'exportCampaignRecipients',
          summary: 'Download the recipients',
          description: 'With number, name, state, times, error and cost.',
          responses: TABLE,
        },
      },
    )
