import { Elysia, t } from 'elysia'

import { csvResponse } from '../../../../http/csv-response'
import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { okText } from '../../../../http/read-answer'
import { oneOf } from '../../../../lib/fields'
import { xlsxResponse } from '../../../../http/xlsx-response'
import { csvOf, recipientTable } from '../results/export'
import { CampaignView, RECIPIENT_STATUSES } from '../model'
import { FunnelView, ProgressView } from '../results/model'
import { NewSchedule, ResumeInput, RetryInput, RetryView, StartInput } from './model'
import { historyOf, HistoryView } from '../results/history'
import { getProgress } from '../results/progress'
import { ReadFunnel } from '../results/readers'
import { cancelCampaign } from './cancel'
import { pauseCampaign } from './pause'
import { resumeCampaign } from './resume'
import { scheduleCampaign } from './schedule'
import { startCampaign } from './start'
import { retryFailed } from './retry-failed'

const START_REFUSALS = [
  '400 no_template',
  '400 no_recipients',
  '400 missing_params',
  '400 invalid_params',
  '400 template_not_approved',
  '400 account_inactive',
  '400 over_budget',
  '409 wrong_state',
  '409 budget_reached',
] as const

const ExportQuery = t.Object({
  format: t.Optional(oneOf(['csv', 'xlsx'], { description: 'File format. Defaults to `csv`.' })),
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

/** Routes to schedule, start, pause, resume and cancel campaigns. */
export const campaignRunRoutes = (http: Http) =>
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
        summary: 'Schedule a campaign',
        description: 'The campaign starts once at that time, or as soon as the server runs again.',
      },
    })
    .post(
      '/:id/start',
      ({ ctx, params, body }) => ok(startCampaign(ctx, params.id, body.now ?? false)),
      {
        can: { permission: 'campaigns:execute', bulk: true },
        refuses: START_REFUSALS,
        params: IdParam,
        body: StartInput,
        response: { 200: Ok(CampaignView) },
        detail: {
          operationId: 'startCampaign',
          summary: 'Start a campaign',
          description:
            'Starts now, or at `scheduled_at` if that is in the future and `now` is not `true`. If the ' +
            'phone number has no payment method (`funding` of the account), the campaign is paused ' +
            'at once with `pause_reason` `funding`, and continues when it has one.',
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
        description: 'Unsent messages return to the queue; requests already made are completed.',
      },
    })
    .post(
      '/:id/resume',
      ({ ctx, params, body }) =>
        ok(
          resumeCampaign(ctx, params.id, {
            ignoresErrors: body.ignore_errors ?? false,
            includesUnknown: body.include_unknown ?? false,
          }),
        ),
      {
        can: 'campaigns:execute',
        refuses: [...START_REFUSALS, '400 payment_required', '409 restored'],
        params: IdParam,
        body: ResumeInput,
        response: { 200: Ok(CampaignView) },
        detail: {
          operationId: 'resumeCampaign',
          summary: 'Resume a campaign',
          description:
            'Continues where it stopped. Fails with 400 while the cause of the pause persists. ' +
            'After a restored backup (`pause_reason` is `restored`), recipients may have received ' +
            'the message since the backup was made. Their status is `unknown`, by which they can be ' +
            'listed and exported. Fails with 409 `restored`, with their number in ' +
            '`details.recipients`, unless `include_unknown` is `true`.',
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

/** Routes for retries and results of campaigns. */
export const campaignResultRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .post(
      '/:id/retry-failed',
      async ({ ctx, params, body }) => ok(await retryFailed(ctx, params.id, body)),
      {
        can: { permission: 'campaigns:execute', bulk: true },
        refuses: ['400 nothing_to_retry', '400 payment_required', ...START_REFUSALS],
        params: IdParam,
        body: RetryInput,
        response: { 200: Ok(RetryView) },
        detail: {
          operationId: 'retryFailedCampaignRecipients',
          summary: 'Retry failed recipients',
          description:
            'Sends a new message to recipients with a retryable error, or with one of `codes`. ' +
            'Includes unknown outcomes only with `include_unknown`. The campaign must be completed ' +
            'or paused.',
        },
      },
    )
    .get('/:id/progress', ({ ctx, params }) => ok(getProgress(ctx, params.id)), {
      can: 'campaigns:read',
      params: IdParam,
      response: { 200: Ok(ProgressView) },
      detail: {
        operationId: 'getCampaignProgress',
        summary: 'Get the campaign progress',
        description:
          'How many recipients are where, how fast it goes, when it will be done, and the most frequent errors.',
      },
    })
    .get('/:id/history', ({ ctx, params }) => ok(historyOf(ctx, params.id)), {
      can: 'campaigns:read',
      params: IdParam,
      response: { 200: Ok(HistoryView) },
      detail: {
        operationId: 'getCampaignHistory',
        summary: 'Get the campaign history',
        description:
          'When it was started, paused, resumed and completed, by whom, or why it paused by itself.',
      },
    })
    .get(
      '/:id/funnel',
      async ({ ctx, params, query: { interval = 'hour' } }) =>
        okText(await ctx.reads.text(ReadFunnel, ctx, { campaignId: params.id, interval })),
      {
        can: 'campaigns:read',
        params: IdParam,
        query: t.Object({
          interval: t.Optional(oneOf(['hour', 'day'], { description: 'Defaults to `hour`.' })),
        }),
        response: { 200: Ok(FunnelView) },
        detail: {
          operationId: 'getCampaignFunnel',
          summary: 'Get the campaign timeline',
          description: "Days are in the campaign's time zone.",
        },
      },
    )
    .get(
      '/:id/export',
      async ({ ctx, params, query, request }) => {
        const table = await recipientTable(ctx, params.id, query.status)
        return query.format === 'xlsx'
          ? xlsxResponse(request, 'campaign.xlsx', table)
          : csvResponse(request, 'campaign.csv', csvOf(table))
      },
      {
        can: { permission: 'campaigns:read', bulk: true },
        params: IdParam,
        query: ExportQuery,
        detail: {
          operationId: 'exportCampaignRecipients',
          summary: 'Export campaign recipients',
          description:
            'Contains phone number, name, state, times, error and cost of each recipient.',
          responses: TABLE,
        },
      },
    )
