import { Box, Center, Paper } from '@mantine/core';
import { GuideLink } from '../parts/page/guide-link.tsx';

/** A page without navigation, for people who are not signed in. */
export function Plain({ children }: { children: React.ReactNode }) {
  return (
    <Center component="main" mih="80vh" p="md">
      <Paper withBorder p="lg" w="100%" maw={480}>
        <Box className="wrap">{children}</Box>
        <Box mt="md">
          <GuideLink />
        </Box>
      </Paper>
    </Center>
  );
}
