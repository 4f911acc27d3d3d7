/**
 * Finds or builds Temporal's time-skipping test server, a Java program.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  cacheFolder,
  downloadWithSdk,
  findOnPath,
  installProgram,
  isExecutable,
  runProgram,
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
    if (await isExecutable(given)) return given;
    throw new Error(`TEMPORAL_TEST_SERVER is ${given}, which is not an executable file`);
  }
  const folder = path.join(await cacheFolder(), 'test-server');
  await mkdir(folder, { recursive: true });
  const downloaded = path.join(folder, 'temporal-test-server');
  const launcher = path.join(folder, `launch-${VERSION}.sh`);
  for (const program of [downloaded, launcher]) if (await isExecutable(program)) return program;

  const tried: string[] = [];
  for (const make of [
    () => downloadWithSdk('createTimeSkipping', downloaded),
    () => buildWithMaven(folder, launcher),
  ]) {
    try {
      return await make();
    } catch (error) {
      tried.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `Temporal's time-skipping test server is not available. Tried:\n  the download: ${tried[0]}\n  Maven: ${tried[1]}\n` +
      'Install Java and Maven, or set TEMPORAL_TEST_SERVER to the path of a server.',
  );
}

async function buildWithMaven(folder: string, launcher: string): Promise<string> {
  const maven = await findOnPath('mvn');
  if (!maven || !(await findOnPath('java'))) throw new Error('mvn and java are not both on PATH');
  const libraries = path.join(folder, `lib-${VERSION}`);
  if (!(await isExecutable(launcher))) {
    await installProgram(launcher, async (work) => {
      await writeFile(path.join(work, 'pom.xml'), POM);
      await runProgram(
        maven,
        ['--batch-mode', '--quiet', 'dependency:copy-dependencies', `-DoutputDirectory=${libraries}`],
        { cwd: work },
      );
      const made = path.join(work, 'launch.sh');
      await writeFile(made, launchScript(libraries));
      return made;
    });
  }
  return launcher;
}

/** Without the second compiler and with the plain collector, the server is up within the SDK's five seconds. */
function launchScript(libraries: string): string {
  const quoted = libraries.replaceAll("'", "'\\''");
  return `#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '${quoted}'/'*' io.temporal.testserver.TestServer "$@"\n`;
}
