import { expect, test } from 'vitest';
import { apiClient } from '#local/admin/demo-account.ts';
import { listen, sendJson } from '#local/shared/loopback.ts';

test('a refused request is reported at startup without its query, which may contain tokens', async () => {
  const server = await listen((_request, response) =>
    sendJson(response, 400, { message: 'INVALID_TOKEN', error: true, data: null, status: 400 }),
  );
  await expect(apiClient(server.url).expect(200, 'GET', '/api/auth/confirm?token=tac_secret')).rejects.toThrow(
    /^GET \/api\/auth\/confirm returned 400 INVALID_TOKEN$/,
  );
  await server.close();
});
