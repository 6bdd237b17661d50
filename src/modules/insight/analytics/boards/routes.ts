import { Elysia } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { BoardChanges, BoardView } from './model'
import {
  getOrganizationBoard,
  getOwnBoard,
  resetOwnBoard,
  updateOrganizationBoard,
  updateOwnBoard,
} from './service'

const REPLACES =
  'Replaces all widgets, up to 24. A widget holds no figures: the client asks the report for them. ' +
  'Fails with 400 and its path for an unknown metric, an unknown filter, or an ID that does not ' +
  'exist in the organization.'

export const boardRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics/board', tags: ['Analytics'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(getOwnBoard(ctx)), {
      can: { permission: 'analytics:read', people: 'only' },
      response: { 200: Ok(BoardView) },
      detail: {
        operationId: 'getBoard',
        summary: 'Get my board',
        description: "Returns the organization's board until you have changed yours.",
      },
    })
    .put('', ({ ctx, body }) => ok(updateOwnBoard(ctx, body)), {
      can: { permission: 'analytics:read', people: 'only' },
      unlessChanged: getOwnBoard,
      body: BoardChanges,
      response: { 200: Ok(BoardView) },
      detail: { operationId: 'updateBoard', summary: 'Change my board', description: REPLACES },
    })
    .delete(
      '',
      ({ ctx }) => {
        resetOwnBoard(ctx)
        return ok({ message: "You see the organization's board again." })
      },
      {
        can: { permission: 'analytics:read', people: 'only' },
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteBoard',
          summary: 'Go back to the default board',
          description: 'Forgets your own board.',
        },
      },
    )
    .get('/organization', ({ ctx }) => ok(getOrganizationBoard(ctx)), {
      can: 'analytics:read',
      response: { 200: Ok(BoardView) },
      detail: {
        operationId: 'getOrganizationBoard',
        summary: "Get the organization's board",
        description: 'People without a board of their own see it.',
      },
    })
    .put('/organization', ({ ctx, body }) => ok(updateOrganizationBoard(ctx, body)), {
      can: 'settings:update',
      unlessChanged: getOrganizationBoard,
      body: BoardChanges,
      response: { 200: Ok(BoardView) },
      detail: {
        operationId: 'updateOrganizationBoard',
        summary: "Change the organization's board",
        description: REPLACES,
      },
    })
