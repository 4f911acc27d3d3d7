/**
 * Finds or builds Temporal's time-skipping test server, a Java program.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  cacheFolder,
  downloadWithSdk,
  installProgram,
  runProgram,
  tryInOrder,
} from '../../packages/embedded/src/programs.js';

const VERSION = '1.38.0';

const POM = `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>sendloom</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/**
 * Finds the time-skipping server: `TEMPORAL_TEST_SERVER`, the cache, the SDK's download, a build with Maven; the last
 * two fill the cache.
 *
 * @returns the path of an executable
 * @throws Error that lists the attempts and the variable to set
 */
export async function timeSkippingServer(): Promise<string> {
  const given = process.env.TEMPORAL_TEST_SERVER;
  if (given) {
    if (existsSync(given)) return given;
    throw new Error(`TEMPORAL_TEST_SERVER is ${given}, which does not exist.`);
  }
  const folder = path.join(await cacheFolder(), 'test-server');
  await mkdir(folder, { recursive: true });
  const downloaded = path.join(folder, 'temporal-test-server');
  const launcher = path.join(folder, `launch-${VERSION}.sh`);
  for (const program of [downloaded, launcher]) if (existsSync(program)) return program;

  return tryInOrder(
    "Temporal's time-skipping test server",
    {
      'the download': () => downloadWithSdk('createTimeSkipping', downloaded),
      Maven: () => buildWithMaven(folder, launcher),
    },
    'Install Java and Maven, or set TEMPORAL_TEST_SERVER to the path of a server.',
  );
}

async function buildWithMaven(folder: string, launcher: string): Promise<string> {
  await runProgram('java', ['-version']);
  const libraries = path.join(folder, `lib-${VERSION}`);
  return installProgram(launcher, async (work) => {
    await writeFile(path.join(work, 'pom.xml'), POM);
    await runProgram(
      'mvn',
      ['--batch-mode', '--quiet', 'dependency:copy-dependencies', `-DoutputDirectory=${libraries}`],
      { cwd: work },
    );
    const made = path.join(work, 'launch.sh');
    await writeFile(made, launchScript(libraries));
    return made;
  });
}

/** Without the second compiler and with the plain collector, the server is up within the SDK's five seconds. */
function launchScript(libraries: string): string {
  const quoted = libraries.replaceAll("'", "'\\''");
  return `#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '${quoted}'/'*' io.temporal.testserver.TestServer "$@"\n`;
}
