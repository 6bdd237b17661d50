import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { UnavailableError } from '../../lib/errors'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../http/pagination'
import { oneOf } from '../../lib/fields'
import type { Schedule } from '../../infra/jobs/schedule'
import { JOB_STATES, jobView, JobView } from '../../infra/jobs/view'
import { metricsType, readMetrics, type Sources } from './metrics/collect'
import { discardJob, retryJob } from './job-admin/retry'
import { jobDetails, jobPage, listSchedules, retryDiscarded } from './job-admin/queries'
import { requireMetricsToken } from './metrics/require-token'
import { installationInfo } from './installation'
import {
  DiscardRequest,
  HealthView,
  InstallationInfo,
  JobCounts,
  JobDetails,
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
        raw: 'tells nothing',
        response: { 200: Ok(HealthView) },
        detail: { operationId: 'getHealth', summary: 'Whether the process lives' },
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
        raw: 'tells nothing',
        refuses: ['503 not_ready'],
        response: { 200: Ok(ReadyView) },
        detail: {
          operationId: 'getReadiness',
          summary: 'Whether the server can take work',
          description: '503 names the check that fails.',
        },
      },
    )

/** What is counted and measured, as Prometheus reads it. */
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
      raw: 'proves itself with the metrics token',
      refuses: ['401 unauthorized', '401 invalid_token', '403 metrics_elsewhere'],
      detail: {
        operationId: 'getMetrics',
        summary: 'Metrics',
        description:
          'Prometheus text format. Needs `Authorization: Bearer` with METRICS_TOKEN; without one configured they are served at METRICS_ADDRESS only.',
        responses: {
          200: {
            description: 'The metrics.',
            content: { 'text/plain': { schema: { type: 'string' as const } } },
          },
        },
      },
    },
  )

/** What the whole installation is made of. */
export const adminRoutes = (http: Http, sources: Sources) =>
  new Elysia({ prefix: '/api/admin', tags: ['System'] })
    .use(guard(http))
    .get('/info', ({ ctx }) => ok(installationInfo(ctx, sources)), {
      person: 'super-admin',
      response: { 200: Ok(InstallationInfo) },
      detail: {
        operationId: 'getInstallationInfo',
        summary: 'The installation',
        description: 'Version, schema, settings with secrets as set or unset, sizes and counts.',
      },
    })

const JobsQuery = t.Object({
  ...longQuery(),
  state: t.Optional(oneOf(JOB_STATES)),
  kind: t.Optional(t.String({ maxLength: 100 })),
  from: t.Optional(
    t.String({
      maxLength: 40,
      description: 'ISO 8601: those that ended, else were begun last, else are due at or after it.',
    }),
  ),
  to: t.Optional(t.String({ maxLength: 40, description: 'The same at or before it.' })),
  all: t.Optional(t.Boolean({ description: 'Work of all organizations; super admins only.' })),
})

/** Background work. */
export const jobRoutes = (http: Http, schedules: Schedule[]) =>
  new Elysia({ prefix: '/api/jobs', tags: ['System'] })
    .use(guard(http))
    .get(
      '',
      async ({
        ctx,
        query: { page = 1, limit = 20, cursor, state, kind, from, to, all = false },
      }) =>
        ok(
          await jobPage(
            ctx,
            { state, kind, from, to, isWholeInstallation: all },
            { page, limit, cursor },
          ),
        ),
      {
        can: 'jobs:read',
        refuses: ['403 super_admin_required'],
        query: JobsQuery,
        response: {
          200: Ok(Type.Composite([LongPageOf(JobView), Type.Object({ counts: JobCounts })])),
        },
        detail: {
          operationId: 'listJobs',
          summary: 'List background work',
          description:
            'Completed jobs are kept a day, cancelled ones a week, discarded ones a month.',
        },
      },
    )
    .get('/schedule', ({ ctx }) => ok(listSchedules(ctx, schedules)), {
      superAdmin: 'tells what the whole installation does',
      response: { 200: Ok(ScheduleList) },
      detail: {
        operationId: 'listJobSchedules',
        summary: 'Work that comes again and again',
        description: 'Of the whole installation; super admins only.',
      },
    })
    .post('/retry', ({ ctx, body, status }) => status(202, ok(retryDiscarded(ctx, body))), {
      canBulk: 'jobs:retry',
      refuses: ['400 too_many_jobs'],
      body: RetryRequest,
      response: { 202: Ok(RetryCount) },
      detail: {
        operationId: 'retryJobs',
        summary: 'Run discarded jobs again',
        description:
          'Those of the own organization, at most 10,000 at once; one whose time is over stays discarded. Counted as a bulk operation.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(jobDetails(ctx, params.id)), {
      can: 'jobs:read',
      params: IdParam,
      response: { 200: Ok(JobDetails) },
      detail: {
        operationId: 'getJob',
        summary: 'One piece of background work',
        description: 'Secrets and telephone numbers in its arguments are masked.',
      },
    })
    .post('/:id/retry', ({ ctx, params }) => ok(jobView(retryJob(ctx, params.id))), {
      can: 'jobs:retry',
      refuses: ['409 job_state'],
      params: IdParam,
      response: { 200: Ok(JobView) },
      detail: { operationId: 'retryJob', summary: 'Run a job again now' },
    })
    .post(
      '/:id/discard',
      ({ ctx, params, body }) =>
        ok(
          jobView(
            discardJob(ctx, {
              id: params.id,
              reason: body?.reason ?? 'discarded by a person',
            }),
          ),
        ),
      {
        can: 'jobs:retry',
        refuses: ['409 job_state'],
        params: IdParam,
        body: Type.Union([DiscardRequest, Type.Null()]),
        response: { 200: Ok(JobView) },
        detail: { operationId: 'discardJob', summary: 'Give a waiting job up' },
      },
    )
