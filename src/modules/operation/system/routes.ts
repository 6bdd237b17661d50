import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { UnavailableError } from '../../../lib/errors'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import { okText } from '../../../http/read-answer'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import type { Schedule } from '../../../infra/jobs/define-schedule'
import { JOB_STATES, jobView, JobView } from '../../../infra/jobs/view'
import { metricsType, readMetrics, type Sources } from './metrics/collect'
import { discardJob, dismissJobs, retryJob } from './job-admin/retry'
import { CountKinds, ListJobs } from './job-admin/readers'
import { jobDetails, listSchedules, retryDiscarded } from './job-admin/queries'
import { requireMetricsToken } from './metrics/require-token'
import { installationInfo } from './installation'
import {
  DiscardRequest,
  DismissRequest,
  HealthView,
  InstallationInfo,
  JobCounts,
  JobDetails,
  JobKind,
  ReadyView,
  RetryCount,
  RetryRequest,
  ScheduleList,
} from './model'
import { CHECKS, failingChecks, type Lifecycle } from './readiness'

/** Whether the process lives and can take work. */
export const healthRoutes = (http: Http, lifecycle: Lifecycle) =>
  new Elysia({ tags: ['System'] })
    .use(guard(http))
    .get(
      '/health',
      () =>
        ok({
          status: 'ok' as const,
          version: http.version,
          uptime_seconds: Math.floor((http.clock.nowMs() - lifecycle.startedAtMs) / 1_000),
        }),
      {
        raw: 'reveals nothing',
        response: { 200: Ok(HealthView) },
        detail: {
          operationId: 'getHealth',
          summary: 'Check liveness',
          description:
            'Answers as soon as the server runs. Whether it can also work is said by `/ready`.',
        },
      },
    )
    .get(
      '/ready',
      () => {
        const failing = failingChecks(http, lifecycle)
        const sentences = Object.values(failing)
        if (sentences.length > 0)
          throw new UnavailableError(`Not ready: ${sentences.join('; ')}.`, 5, {
            code: 'not_ready',
            details: failing,
          })
        return ok({
          status: 'ready' as const,
          checks: Object.fromEntries(CHECKS.map((check) => [check, 'ok' as const])),
        })
      },
      {
        raw: 'reveals nothing',
        refuses: ['503 not_ready'],
        response: { 200: Ok(ReadyView) },
        detail: {
          operationId: 'getReadiness',
          summary: 'Check readiness',
          description: 'Returns 503 with the failing checks in `details`.',
        },
      },
    )

/** Serves the metrics for Prometheus. */
export const metricsRoutes = (http: Http, sources: Sources) =>
  new Elysia({ tags: ['System'] }).use(guard(http)).get(
    '/metrics',
    async ({ request }) => {
      requireMetricsToken(http, request.headers, { isLocal: false })
      return new Response(await readMetrics(http, sources), {
        headers: { 'content-type': metricsType(http) },
      })
    },
    {
      raw: 'authenticates with the metrics token',
      refuses: ['401 unauthorized', '401 invalid_token', '403 metrics_elsewhere'],
      detail: {
        operationId: 'getMetrics',
        summary: 'Get metrics',
        description:
          'Metrics in Prometheus text format. Requires `Authorization: Bearer` with ' +
          '`METRICS_TOKEN`. Without that setting, metrics are only served at `METRICS_ADDRESS`.',
        responses: {
          200: {
            description: 'The metrics.',
            content: { 'text/plain': { schema: { type: 'string' as const } } },
          },
        },
      },
    },
  )

/** Serves facts about the whole installation. */
export const adminRoutes = (http: Http, sources: Sources) =>
  new Elysia({ prefix: '/api/admin', tags: ['System'] })
    .use(guard(http))
    .get('/info', ({ ctx }) => ok(installationInfo(ctx, sources)), {
      can: 'super-admin',
      response: { 200: Ok(InstallationInfo) },
      detail: {
        operationId: 'getInstallationInfo',
        summary: 'Get installation details',
        description:
          'Returns version, schema, settings (secrets only as `set` or `unset`), sizes and ' +
          'counts.',
      },
    })

const JobsQuery = t.Object({
  ...longQuery(),
  state: t.Optional(oneOf(JOB_STATES)),
  kind: t.Optional(t.String({ maxLength: 100 })),
  from: t.Optional(
    t.String({
      maxLength: 40,
      description:
        'ISO 8601 time. Returns jobs at or after it. The time of a job is its end, or its last ' +
        'start while it has not ended, or its due time while it has not started.',
    }),
  ),
  to: t.Optional(
    t.String({ maxLength: 40, description: 'ISO 8601 time. Returns jobs at or before it.' }),
  ),
  all: t.Optional(
    t.Boolean({ description: 'Whether to list the jobs of all organizations. Super admins only.' }),
  ),
})

/** Background work. */
export const jobRoutes = (http: Http, schedules: Schedule[]) =>
  new Elysia({ prefix: '/api/jobs', tags: ['System'] })
    .use(guard(http))
    .get(
      '',
      async ({
        ctx,
        query: { page = 1, limit = 20, all: isWholeInstallation = false, ...query },
      }) =>
        okText(await ctx.reads.text(ListJobs, ctx, { ...query, page, limit, isWholeInstallation })),
      {
        can: 'jobs:read',
        refuses: ['403 super_admin_required'],
        query: JobsQuery,
        response: {
          200: Ok(Type.Composite([LongPageOf(JobView), Type.Object({ counts: JobCounts })])),
        },
        detail: {
          operationId: 'listJobs',
          summary: 'List jobs',
          description:
            'Completed jobs are kept for a day, cancelled jobs for a week, discarded jobs for a ' +
            'month.',
        },
      },
    )
    .get(
      '/kinds',
      async ({ ctx, query: { state, all: isWholeInstallation = false } }) =>
        okText(await ctx.reads.text(CountKinds, ctx, { state, isWholeInstallation })),
      {
        can: 'jobs:read',
        refuses: ['403 super_admin_required'],
        query: t.Object({ state: JobsQuery.properties.state, all: JobsQuery.properties.all }),
        response: { 200: Ok(Type.Object({ items: Type.Array(JobKind) }, { title: 'JobKinds' })) },
        detail: {
          operationId: 'countJobKinds',
          summary: 'Count jobs by kind',
          description: 'Returns the kinds of jobs, most jobs first, each with its newest error.',
        },
      },
    )
    .get('/schedule', ({ ctx }) => ok(listSchedules(ctx, schedules)), {
      can: { permission: 'super-admin', why: 'reveals the jobs of the whole installation' },
      response: { 200: Ok(ScheduleList) },
      detail: {
        operationId: 'listJobSchedules',
        summary: 'List recurring jobs',
        description: 'Lists the recurring jobs of the whole installation. Super admins only.',
      },
    })
    .post('/retry', ({ ctx, body, status }) => status(202, ok(retryDiscarded(ctx, body))), {
      can: { permission: 'jobs:retry', bulk: true },
      refuses: ['400 too_many_jobs', '403 super_admin_required'],
      body: RetryRequest,
      response: { 202: Ok(RetryCount) },
      detail: {
        operationId: 'retryJobs',
        summary: 'Retry discarded jobs',
        description:
          'Retries up to 10,000 discarded jobs of this organization at once, or with `all` of all ' +
          'organizations. Expired jobs stay ' +
          'discarded. Counts as a bulk operation.',
      },
    })
    .post('/dismiss', ({ ctx, body }) => ok(dismissJobs(ctx, body)), {
      can: 'jobs:retry',
      refuses: ['400 too_many_jobs', '403 super_admin_required'],
      body: DismissRequest,
      response: { 200: Ok(RetryCount) },
      detail: {
        operationId: 'dismissJobs',
        summary: 'Remove failed jobs from the list',
        description:
          'Removes jobs that were given up and that nobody wants to run again. They would be ' +
          'removed after a month.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(jobDetails(ctx, params.id)), {
      can: 'jobs:read',
      params: IdParam,
      response: { 200: Ok(JobDetails) },
      detail: {
        operationId: 'getJob',
        summary: 'Get a job',
        description: 'Secrets and phone numbers in its arguments are masked.',
      },
    })
    .post('/:id/retry', ({ ctx, params }) => ok(jobView(retryJob(ctx, params.id))), {
      can: 'jobs:retry',
      refuses: ['409 job_state'],
      params: IdParam,
      response: { 200: Ok(JobView) },
      detail: {
        operationId: 'retryJob',
        summary: 'Retry a job',
        description: 'Runs a job that failed once more.',
      },
    })
    .post(
      '/:id/discard',
      ({ ctx, params, body }) =>
        ok(
          jobView(
            discardJob(ctx, {
              id: params.id,
              reason: body.reason ?? 'discarded by a user',
            }),
          ),
        ),
      {
        can: 'jobs:retry',
        refuses: ['409 job_state'],
        params: IdParam,
        body: DiscardRequest,
        response: { 200: Ok(JobView) },
        detail: {
          operationId: 'discardJob',
          summary: 'Discard a job',
          description: 'Gives up a job for good: it does not run again.',
        },
      },
    )
